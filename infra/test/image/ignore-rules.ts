/**
 * Whether a path of the context, with forward slashes, reaches the build, by the rules of .dockerignore: the last
 * pattern that fits the path or a folder above it decides. A folder also passes when a later `!` names what is in it.
 */
export function createIgnoreRules(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      keeps: line.startsWith('!'),
      pattern: line.replace('!', ''),
      fits: toRegExp(line.replace('!', '')),
    }))
  return (path) => {
    const decisive = rules.findLast(({ fits }) => fits.test(path))
    if (decisive === undefined || decisive.keeps) return true
    return rules.some(({ keeps, pattern }) => keeps && pattern.startsWith(`${path}/`))
  }
}

/** `*` stays within one part of a path, and `**` with its slash stands for any number of them. */
function toRegExp(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?')
  return new RegExp(`^${source}(?:/.*)?$`)
}
