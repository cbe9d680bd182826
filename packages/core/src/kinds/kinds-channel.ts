/**
 * The channel on which API processes are notified that kinds were registered or retired. A notification only triggers a
 * read of all kinds.
 */
export function kindsChannel(schema: string): string {
  return `${schema}.kinds`
}
