import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { z } from 'zod'

/** A file of the dashboard, as it is and compressed. */
export interface BundleFile {
  readonly type: string
  readonly bytes: { readonly identity: Buffer; readonly gzip: Buffer; readonly br: Buffer }
}

/** The dashboard as its build has left it. */
export interface Bundle {
  /** The page, without its base. */
  readonly page: string
  /** By their names, which change with their contents. */
  readonly assets: ReadonlyMap<string, BundleFile>
}

const indexSchema = z.object({ assets: z.array(z.object({ name: z.string(), type: z.string() })) })

/** Reads the whole dashboard: a few hundred kilobytes that never change. Throws when it is not built. */
export async function loadBundle(): Promise<Bundle> {
  const index = createRequire(import.meta.url).resolve('@queue/dashboard/bundle')
  const folder = path.dirname(index)
  const { assets } = indexSchema.parse(JSON.parse(await readFile(index, 'utf8')))
  const read = async ({ name, type }: { name: string; type: string }): Promise<[string, BundleFile]> => {
    const file = path.join(folder, 'assets', name)
    const [identity, gzip, br] = await Promise.all([
      readFile(file),
      readFile(`${file}.gz`),
      readFile(`${file}.br`),
    ])
    return [name, { type, bytes: { identity, gzip, br } }]
  }
  const page = await readFile(path.join(folder, 'index.html'), 'utf8')
  return { page, assets: new Map(await Promise.all(assets.map(read))) }
}

/** The hashes of the scripts that stand in the page itself, as its policy names them. */
export function scriptHashes(page: string): string[] {
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)]
  return scripts.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
}
