import type { Faults, RepositoryFile } from './repository-file.ts'

const scenarioFile = /^chaos\/src\/scenarios\/(?!scenario\.ts|index\.ts)([\w-]+)\.ts$/

/**
 * Finds scenarios of the fault suite without a test of the same name, without a guarantee that links to this test, or without a
 * line in the table of the suite's README.
 */
export function findUnlinkedScenarios(files: readonly RepositoryFile[]): Faults {
  const texts = new Map(files.map((file) => [file.name, file.text]))
  const guarantees = texts.get('docs/guarantees.md') ?? ''
  const table = texts.get('chaos/README.md') ?? ''
  return files.flatMap(({ name }) => {
    const scenario = scenarioFile.exec(name)?.[1]
    if (scenario === undefined) return []
    return [
      ...(texts.has(`chaos/test/${scenario}.test.ts`)
        ? []
        : [`${name}: the test chaos/test/${scenario}.test.ts is missing`]),
      ...(guarantees.includes(`](../chaos/test/${scenario}.test.ts)`)
        ? []
        : [`${name}: no guarantee in docs/guarantees.md links to its test`]),
      ...(table.includes(`](src/scenarios/${scenario}.ts)`)
        ? []
        : [`${name}: the table of chaos/README.md does not contain it`]),
    ]
  })
}
