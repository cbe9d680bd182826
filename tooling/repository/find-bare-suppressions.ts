import type { Faults, RepositoryFile } from './repository-file.ts'

const suppression =
  /(?:\/\/|\/\*)\s*(?:(?:ox|es)lint-disable|@ts-(?:expect-error|ignore|nocheck)|biome-ignore)/
const reason = /--\s+\S|@ts-expect-error\s*:?\s+\S|biome-ignore [^:]+:\s*\S/

/** Finds suppressions of lint rules, type errors or formatting without a reason. */
export function findBareSuppressions(files: readonly RepositoryFile[]): Faults {
  return files
    .filter(({ name }) => /\.[cm]?[jt]s$/.test(name))
    .flatMap(({ name, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          suppression.test(line) && !reason.test(line)
            ? [`${name}:${index + 1}: add the reason of this suppression after --`]
            : [],
        ),
    )
}
