import { testLink } from './find-missing-tests.ts'
import type { Faults, RepositoryFile } from './repository-file.ts'

const document = 'docs/guarantees.md'
/** Matches a guarantee: a numbered section. */
const section = /^## (\d+\. .+)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm

/** Finds guarantees that link to no test, or that do not state what is not promised. */
export function findUntestedGuarantees(files: readonly RepositoryFile[]): Faults {
  const text = files.find(({ name }) => name === document)?.text ?? ''
  return [...text.matchAll(section)].flatMap(([, title = '', body = '']) => [
    ...(body.match(testLink) === null ? [`${document}: "${title}" links to no test`] : []),
    ...(body.includes('**Not promised**')
      ? []
      : [`${document}: "${title}" has no paragraph **Not promised**`]),
  ])
}
