import type { JsonValue } from '../domain/json.ts'

/** The most differences that are listed. */
const pathsMax = 20

/** JSON pointers to the places where two documents differ, at most 20; none when they are equal. */
export function differingPaths(before: JsonValue, after: JsonValue): string[] {
  const paths: string[] = []
  compare({ before, after }, '', paths)
  return paths
}

interface Pair {
  readonly before: JsonValue | undefined
  readonly after: JsonValue | undefined
}

function compare({ before, after }: Pair, path: string, paths: string[]): void {
  if (paths.length >= pathsMax) return
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    if (before !== after) paths.push(path)
    return
  }
  const [left, right] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  for (const key of [...new Set([...left.keys(), ...right.keys()])].toSorted()) {
    const part = key.replaceAll('~', '~0').replaceAll('/', '~1')
    compare({ before: left.get(key), after: right.get(key) }, `${path}/${part}`, paths)
  }
}

function isContainer(value: JsonValue | undefined): value is JsonValue[] | { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null
}
