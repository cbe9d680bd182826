/**
 * What is wrong with a Node of this version; undefined if it is new enough. `engines` is the member `engines.node` of the package.
 * Without this check a function that the old Node lacks would fail later, with an obscure error.
 */
export function nodeFault(version: string, engines: string): string | undefined {
  const oldest = engines.replace('>=', '')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `this is Node ${version}; the command needs Node ${oldest} or later`
}
