/** The message when a newer release has migrated the schema, and this one can run on it. */
export function newerAndAccepted(codeVersion: number): string {
  return `newer than this release (${codeVersion}), which can run on it: nothing to do`
}
