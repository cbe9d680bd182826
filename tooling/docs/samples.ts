import type { RepositoryFile } from '../repository/repository-file.ts'

/** A TypeScript sample of a document, as a file of a project. */
export interface Sample {
  /** The document that contains it. */
  readonly document: string
  /** The name of its file in the sample project of the document. */
  readonly file: string
  /** Its code, on the same line numbers as in the document, so that a compiler error points to the right line. */
  readonly text: string
}

const fence = /^```ts\b.*\n([\s\S]*?)^```/gm

/**
 * The samples of a document: its fenced `ts` blocks. A block whose first line is `// name.ts` becomes the file of this name,
 * which the other blocks of the document can import.
 */
export function samplesOf(document: RepositoryFile): Sample[] {
  return [...document.text.matchAll(fence)].map((match) => {
    const code = match[1] ?? ''
    const line = document.text.slice(0, match.index).split('\n').length
    const fileName = /^\/\/ ([\w-]+\.ts)\b/.exec(code)?.[1]
    return { document: document.name, file: fileName ?? `line-${line}.ts`, text: '\n'.repeat(line) + code }
  })
}
