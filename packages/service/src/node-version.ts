import { ConfigError } from './config/config-error.ts'

/** The oldest Node that this code runs on, as `engines` in every package.json says. */
const oldest = { major: 22, minor: 18 } as const

/** Throws ConfigError where `version` (`22.18.0`) is older: a missing function would fail with an obscure error later. */
export function assertNodeVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return
  throw new ConfigError([`this is Node ${version}; accepted: ${oldest.major}.${oldest.minor} or later`])
}
