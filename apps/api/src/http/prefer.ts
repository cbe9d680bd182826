/**
 * The preferences of a Prefer header (RFC 7240) by their names in lower case; one without a value has the value ''.
 * The first of two with one name counts. Text that is no preference is ignored, as is the RFC's rule for those that
 * a server does not know.
 */
export function parsePrefer(header: string | undefined): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>()
  for (const part of header?.split(',') ?? []) {
    const match = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;"]*)))?/.exec(part)
    const name = match?.[1]?.toLowerCase()
    if (name !== undefined && !preferences.has(name)) preferences.set(name, match?.[2] ?? match?.[3] ?? '')
  }
  return preferences
}
