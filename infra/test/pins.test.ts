import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'

const repository = path.resolve(import.meta.dirname, '..', '..')
const textOf = (name: string) => readFile(path.join(repository, name), 'utf8')

/** The owner of a tag can move it to other content, which a digest prevents. The tag is kept for readers. */
const pinnedImage = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/

describe('external artifacts are pinned by digest', () => {
  test('every action of the workflows', async () => {
    const folder = '.github/workflows'
    const texts = await Promise.all(
      (await readdir(path.join(repository, folder))).map((name) => textOf(path.join(folder, name))),
    )
    const uses = texts.join('\n').match(/(?<=uses: ).*/g) ?? []
    expect(uses.length).toBeGreaterThan(0)
    for (const use of uses) expect(use).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('every image of the compose file that is not built here', async () => {
    const { services } = parse(await textOf('infra/compose.yaml'), { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly image: string; readonly build?: unknown }>>
    }
    const all = Object.values(services)
    const built = new Set(all.filter(({ build }) => build !== undefined).map(({ image }) => image))
    const foreign = all.filter(({ image }) => !built.has(image))
    expect(foreign).toHaveLength(3)
    for (const { image } of foreign) expect(image).toMatch(pinnedImage)
  })

  test('the base of the images, which has the Node that the repository pins', async () => {
    const base = /^ARG NODE_IMAGE=(.+)$/m.exec(await textOf('infra/docker/Dockerfile'))?.[1]
    const { devDependencies } = JSON.parse(await textOf('package.json')) as {
      readonly devDependencies: Readonly<Record<string, string>>
    }
    expect(base).toMatch(pinnedImage)
    expect(base).toMatch(new RegExp(`^node:${devDependencies['node']}-`))
  })
})
