import path from 'node:path'
import type { Faults, RepositoryFile } from './repository-file.ts'

const inlineLink = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g
const definedLink = /^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)/gm
const fencedCode = /^(```|~~~)[\s\S]*?^\1/gm
const inlineCode = /`[^`\n]*`/g

/** Finds relative links of Markdown files to a file, folder or heading that does not exist in the repository. */
export function findBrokenLinks(files: readonly RepositoryFile[]): Faults {
  const texts = new Map(files.map((file) => [file.name, file.text]))
  const folders = new Set(files.flatMap((file) => foldersOf(file.name)))
  return files
    .filter((file) => file.name.endsWith('.md'))
    .flatMap((file) =>
      linksOf(file.text)
        .filter((link) => !exists({ from: file.name, link, texts, folders }))
        .map((link) => `${file.name}: broken link to ${link}`),
    )
}

interface LinkTarget {
  readonly from: string
  readonly link: string
  readonly texts: ReadonlyMap<string, string>
  readonly folders: ReadonlySet<string>
}

function exists({ from, link, texts, folders }: LinkTarget): boolean {
  const [file = '', heading] = decodeURIComponent(link).split('#')
  const target =
    file === ''
      ? from
      : path.posix.normalize(path.posix.join(path.posix.dirname(from), file)).replace(/\/$/, '')
  const text = texts.get(target)
  if (text === undefined) return folders.has(target) && heading === undefined
  return heading === undefined || !target.endsWith('.md') || headingsOf(text).has(heading.toLowerCase())
}

function linksOf(text: string): string[] {
  const prose = text.replaceAll(fencedCode, '').replaceAll(inlineCode, '')
  const links = [...prose.matchAll(inlineLink), ...prose.matchAll(definedLink)].map((match) => match[1] ?? '')
  return links.filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link) && !link.startsWith('//'))
}

/** The anchors that GitHub gives the headings of a document. */
function headingsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(fencedCode, '').matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const plainText = heading.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = plainText.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
    let unique = anchor
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`
    anchors.add(unique)
  }
  return anchors
}

function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return ['.', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))]
}
