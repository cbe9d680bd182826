import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

const settings = z.strictObject({
  /** The scope of the published packages. In the repository they are always `@queue/…`. */
  scope: z.string().regex(/^@[a-z0-9][a-z0-9._-]*$/, 'must be a scope, such as @queue'),
  /** Where and how npm publishes each of them. */
  publishConfig: z.strictObject({
    access: z.enum(['public', 'restricted']),
    registry: z.url({ protocol: /^https?$/ }).optional(),
  }),
  /** What the names of the images begin with, up to `api`, `worker` and `migrate`. */
  images: z.string().regex(/^[a-z0-9][a-z0-9.:/_-]*[/_-]$/, 'must end with a separator, as queue- does'),
})

/** What differs between those who publish the packages and images. */
export type ReleaseSettings = z.infer<typeof settings>

/** The settings in `release.json`. Throws where it has a fault. */
export async function readReleaseSettings(root: string): Promise<ReleaseSettings> {
  const file = path.join(root, 'release.json')
  const { data, error } = settings.safeParse(JSON.parse(await readFile(file, 'utf8')))
  if (data === undefined) throw new Error(`release.json: ${z.prettifyError(error)}`)
  return data
}
