import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { z } from 'zod'

/** A file of the dashboard, uncompressed and compressed. */
export interface BundleFile {
  readonly type: string
  readonly bytes: { readonly identity: Buffer; readonly gzip: Buffer; readonly br: Buffer }
}

/** The built dashboard. */
export interface Bundle {
  /** The page, without its base URL. */
  readonly page: string
  /** The assets by name. A name changes with its content. */
  readonly assets: ReadonlyMap<string, BundleFile>
}

const indexSchema = z.object({ assets: z.array(z.object({ name: z.string(), type: z.string() })) })

/** Reads the whole dashboard, a few hundred kilobytes that never change. Throws if it is not built. */
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

/** The hashes of the inline scripts, for the content security policy. */
export function scriptHashes(page: string): string[] {
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)]
  return scripts.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
}
