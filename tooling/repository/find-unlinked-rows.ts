import type { Faults, RepositoryFile } from './repository-file.ts'

const rowFile = /^chaos\/src\/rows\/(?!row\.ts|index\.ts)([\w-]+)\.ts$/

/**
 * Every row of the fault suite has a test of its name that runs it in its reduced size, a guarantee that links to that
 * test, and a line in the suite's own table.
 */
export function findUnlinkedRows(files: readonly RepositoryFile[]): Faults {
  const texts = new Map(files.map((file) => [file.name, file.text]))
  const guarantees = texts.get('docs/guarantees.md') ?? ''
  const table = texts.get('chaos/README.md') ?? ''
  return files.flatMap(({ name }) => {
    const row = rowFile.exec(name)?.[1]
    if (row === undefined) return []
    return [
      ...(texts.has(`chaos/test/${row}.test.ts`) ? [] : [`${name}: has no test chaos/test/${row}.test.ts`]),
      ...(guarantees.includes(`](../chaos/test/${row}.test.ts)`) ? [] : [`${name}: holds no guarantee`]),
      ...(table.includes(`](src/rows/${row}.ts)`) ? [] : [`${name}: is not in the table of chaos/README.md`]),
    ]
  })
}
