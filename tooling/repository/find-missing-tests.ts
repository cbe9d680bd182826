import path from 'node:path'
import type { Faults, RepositoryFile } from './repository-file.ts'

/** A link that names a test, and the file that it leads to. */
export const testLink = /\[`([^`]+)`\]\(([^)#\s]+\.test\.ts)\)/g

/**
 * A document names a test by a link whose text is the test's title in code, with the titles around it before it and
 * ` › ` in between. Each title stands, as it is written there, in the file that the link leads to.
 */
export function findMissingTests(files: readonly RepositoryFile[]): Faults {
  const texts = new Map(files.map((file) => [file.name, file.text]))
  return files
    .filter(({ name }) => name.endsWith('.md'))
    .flatMap(({ name, text }) =>
      [...text.matchAll(testLink)].flatMap(([, titles = '', link = '']) => {
        const target = path.posix.join(path.posix.dirname(name), link)
        const source = texts.get(target)
        // That the file is there at all is what the check of links says.
        if (source === undefined) return []
        return titles
          .split(' › ')
          .filter((title) => !hasTitle(source, title))
          .map((title) => `${name}: ${target} has no test called ${JSON.stringify(title)}`)
      }),
    )
}

function hasTitle(source: string, title: string): boolean {
  const escaped = title.replaceAll("'", String.raw`\'`)
  return [`'${escaped}'`, `"${title}"`, `\`${title}\``].some((literal) => source.includes(literal))
}
