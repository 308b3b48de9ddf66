/** What the process around the app does for the sandbox's routes. */
export type SandboxWork = {
  /** Sends everything that is due. A request that moves the sandbox's clock waits for it. */
  deliverDue?: () => Promise<void>;
  /** Makes everything as it was after the first start. */
  resetSandbox?: () => Promise<void>;
};
