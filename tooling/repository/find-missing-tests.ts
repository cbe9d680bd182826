import path from 'node:path'
import type { Faults, RepositoryFile } from './repository-file.ts'

/** Matches a link whose text is the title of a test, with the path of the test file. */
export const testLink = /\[`([^`]+)`\]\(([^)#\s]+\.test\.ts)\)/g

/**
 * Finds links to tests that do not exist. The text of such a link is the title of the test as code, optionally after the titles
 * of its describe blocks, separated by ` › `. Each title must occur literally in the linked file.
 */
export function findMissingTests(files: readonly RepositoryFile[]): Faults {
  const texts = new Map(files.map((file) => [file.name, file.text]))
  return files
    .filter(({ name }) => name.endsWith('.md'))
    .flatMap(({ name, text }) =>
      [...text.matchAll(testLink)].flatMap(([, titles = '', link = '']) => {
        const target = path.posix.join(path.posix.dirname(name), link)
        const source = texts.get(target)
        // A missing file is reported by the check of links.
        if (source === undefined) return []
        return titles
          .split(' › ')
          .filter((title) => !hasTitle(source, title))
          .map((title) => `${name}: ${target} has no test with the title ${JSON.stringify(title)}`)
      }),
    )
}

function hasTitle(source: string, title: string): boolean {
  const escaped = title.replaceAll("'", String.raw`\'`)
  return [`'${escaped}'`, `"${title}"`, `\`${title}\``].some((literal) => source.includes(literal))
}
