import { readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * Removes the built files of a package that belong to no source any more: types whose source is gone, and scripts that neither
 * `package.json` nor a remaining script names. The build cache restores files and removes none, so they would be published.
 */
export async function removeOrphans(folder: string): Promise<void> {
  const dist = path.join(folder, 'dist')
  const entries = await readdir(dist, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  const types = files.filter((file) => /\.d\.ts(?:\.map)?$/.test(file))
  const scripts = files.filter((file) => file.endsWith('.js'))
  const orphans = [
    ...(await typesWithoutSource(folder, types)),
    ...(await scriptsWithoutUser(folder, scripts)),
  ]
  await Promise.all(orphans.map((file) => rm(file, { force: true })))
}

async function typesWithoutSource(folder: string, types: readonly string[]): Promise<string[]> {
  const orphans: string[] = []
  for (const file of types) {
    const name = path.relative(path.join(folder, 'dist'), file).replace(/\.d\.ts(?:\.map)?$/, '')
    const source = path.join(folder, 'src', `${name}.ts`)
    if ((await stat(source).catch(() => undefined)) === undefined) orphans.push(file)
  }
  return orphans
}

/** The scripts, each with its map, that cannot be reached from `package.json`. */
async function scriptsWithoutUser(folder: string, scripts: readonly string[]): Promise<string[]> {
  let unreached = scripts
  let texts = [await readFile(path.join(folder, 'package.json'), 'utf8')]
  while (texts.length > 0) {
    const isNamed = (file: string): boolean => texts.some((text) => names(text, path.basename(file, '.js')))
    const named = unreached.filter(isNamed)
    unreached = unreached.filter((file) => !named.includes(file))
    texts = await Promise.all(named.map((file) => readFile(file, 'utf8')))
  }
  return unreached.flatMap((file) => [file, `${file}.map`])
}

/** A file is named with the extension of its source or of the script. */
const names = (text: string, name: string): boolean =>
  text.includes(`/${name}.js`) || text.includes(`/${name}.ts`)
