/** The channel on which API processes hear that kinds were registered or retired. It only triggers a read of all. */
export function kindsChannel(schema: string): string {
  return `${schema}.kinds`
}
