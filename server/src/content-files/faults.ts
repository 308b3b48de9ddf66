/** Why a document can't be read: the end of a sentence that names it. */
export class SourceFault extends Error {}
