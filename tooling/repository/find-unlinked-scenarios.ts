import type { Faults, RepositoryFile } from './repository-file.ts'

const scenarioFile = /^chaos\/src\/scenarios\/(?!scenario\.ts|index\.ts)([\w-]+)\.ts$/

/**
 * Every scenario of the fault suite has a test of its name that runs it in its reduced size, a guarantee that links to
 * that test, and a line in the suite's own table.
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
        : [`${name}: has no test chaos/test/${scenario}.test.ts`]),
      ...(guarantees.includes(`](../chaos/test/${scenario}.test.ts)`) ? [] : [`${name}: holds no guarantee`]),
      ...(table.includes(`](src/scenarios/${scenario}.ts)`)
        ? []
        : [`${name}: is not in the table of chaos/README.md`]),
    ]
  })
}
