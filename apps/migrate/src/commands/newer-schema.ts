/** The end of the message if a newer release has migrated the schema and this release can run on it. */
export function newerSchemaText(codeVersion: number): string {
  return `newer than this release (${codeVersion}), which can run on it: nothing to do`
}
