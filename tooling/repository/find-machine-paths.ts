import type { Faults, RepositoryFile } from './repository-file.ts'

/** No file names the machine it was written on: neither the folder of the checkout nor anybody's home. */
export function findMachinePaths(files: readonly RepositoryFile[], places: readonly string[]): Faults {
  // A place such as / or /x says nothing about a machine.
  const patterns = places
    .filter((place) => place.length > 3)
    .map((place) => new RegExp(`(?<![\\w.~/-])${escape(place)}(?![\\w-])`))
  return files.flatMap(({ name, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        patterns.some((pattern) => pattern.test(line))
          ? [`${name}:${index + 1}: names a path of this machine`]
          : [],
      ),
  )
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
