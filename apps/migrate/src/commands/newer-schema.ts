/** How it is said that a newer release has brought the schema up, and that this one can run on it. */
export function newerAndAccepted(codeVersion: number): string {
  return `newer than this release (${codeVersion}), which can run on it: nothing to do`
}
