import type { Faults, RepositoryFile } from './repository-file.ts'

/** Finds paths of this machine in files, such as the folder of the checkout or a home folder. */
export function findMachinePaths(files: readonly RepositoryFile[], machinePaths: readonly string[]): Faults {
  // A path such as / or /x is not specific to a machine.
  const patterns = machinePaths
    .filter((machinePath) => machinePath.length > 3)
    .map((machinePath) => new RegExp(`(?<![\\w.~/-])${escape(machinePath)}(?![\\w-])`))
  return files.flatMap(({ name, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        patterns.some((pattern) => pattern.test(line))
          ? [`${name}:${index + 1}: contains a path of this machine`]
          : [],
      ),
  )
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
