/**
 * Builds the bundle with Vite, compresses its files, and writes the list of files for the API. Fails if the first load exceeds its
 * budget.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

/** The maximum size of the first load with gzip, because browsers do not accept Brotli over plain HTTP. */
const firstLoadBytesMax = 200_000

const root = path.resolve(import.meta.dirname, '..')
const dist = path.join(root, 'dist')
const assets = path.join(dist, 'assets')

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** Writes both compressed forms of each file, and returns the sizes with gzip. */
async function compressAssets(names: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const name of names) {
    const bytes = await readFile(path.join(assets, name))
    const gzip = gzipSync(bytes, { level: 9 })
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    await writeFile(path.join(assets, `${name}.gz`), gzip)
    await writeFile(path.join(assets, `${name}.br`), brotliCompressSync(bytes, { params: quality }))
    sizes.set(name, gzip.length)
  }
  return sizes
}

await rm(dist, { recursive: true, force: true })
await build({
  root,
  base: './',
  configFile: false,
  logLevel: 'warn',
  plugins: [react()],
  resolve: { conditions: ['@queue/source', 'module', 'browser', 'production'] },
  build: { outDir: dist, target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
})
const names = (await readdir(assets)).toSorted()
const sizes = await compressAssets(names)
const index = {
  assets: names.map((name) => ({ name, type: types[path.extname(name)] ?? 'application/octet-stream' })),
}
await writeFile(path.join(dist, 'bundle.json'), `${JSON.stringify(index, null, 2)}\n`)
const page = await readFile(path.join(dist, 'index.html'), 'utf8')
const loadedFirst = names.filter((name) => page.includes(`assets/${name}`))
const total = loadedFirst.reduce((sum, name) => sum + (sizes.get(name) ?? 0), gzipSync(page).length)
process.stdout.write(`the first load is ${(total / 1_000).toFixed(1)} KB with gzip\n`)
if (total > firstLoadBytesMax) {
  process.stderr.write(`that is more than its budget of ${firstLoadBytesMax / 1_000} KB\n`)
  process.exitCode = 1
}
