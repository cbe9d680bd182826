import type { RepositoryFile } from '../repository/repository-file.ts'

/** One TypeScript sample of a document, as a file of a project. */
export interface Sample {
  /** The document that shows it. */
  readonly document: string
  /** The file that it is in the sample project of its document. */
  readonly file: string
  /** Its code, on the lines on which the document has it, so that a compiler's complaint leads there. */
  readonly text: string
}

const fence = /^```ts\b.*\n([\s\S]*?)^```/gm

/**
 * The samples of a document: its fenced `ts` blocks. A block whose first line is `// name.ts` is that file, which the
 * other blocks of the document can import.
 */
export function samplesOf(document: RepositoryFile): Sample[] {
  return [...document.text.matchAll(fence)].map((match) => {
    const code = match[1] ?? ''
    const line = document.text.slice(0, match.index).split('\n').length
    const named = /^\/\/ ([\w-]+\.ts)\b/.exec(code)?.[1]
    return { document: document.name, file: named ?? `line-${line}.ts`, text: '\n'.repeat(line) + code }
  })
}
