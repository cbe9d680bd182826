import { ConfigError } from './config/config-error.ts'

/** The oldest Node that has what this code is written with, as `engines` in every package.json says it. */
const oldest = { major: 22, minor: 18 } as const

/** Throws ConfigError where `version` (`22.18.0`) is older: the first call of something newer would be a riddle. */
export function assertNodeVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return
  throw new ConfigError([`this is Node ${version}; accepted: ${oldest.major}.${oldest.minor} or later`])
}
