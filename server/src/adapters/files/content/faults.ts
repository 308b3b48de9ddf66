/** Why a document can't be read: continues a sentence that names the document. */
export class SourceFault extends Error {}
