import type { Faults, RepositoryFile } from './repository-file.ts'

const suppression =
  /(?:\/\/|\/\*)\s*(?:(?:ox|es)lint-disable|@ts-(?:expect-error|ignore|nocheck)|biome-ignore)/
const reason = /--\s+\S|@ts-expect-error\s*:?\s+\S|biome-ignore [^:]+:\s*\S/

/** Every silenced rule, type error or format has its reason beside it. */
export function findBareSuppressions(files: readonly RepositoryFile[]): Faults {
  return files
    .filter(({ name }) => /\.[cm]?[jt]s$/.test(name))
    .flatMap(({ name, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          suppression.test(line) && !reason.test(line)
            ? [`${name}:${index + 1}: say after -- why this is silenced`]
            : [],
        ),
    )
}
