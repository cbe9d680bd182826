import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import { imageApps } from '../docker/image-steps.ts'
import { deploy } from '../test/image/deployment-scenario.ts'
import { type Images, runToEnd } from '../test/image/image.ts'
import { buildImages, type Engine, engineImages, findEngine, inspectImage } from './engine.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
const buildMsMax = 30 * 60_000
const runMsMax = 300_000

const engine = findEngine() as Engine
/** A test that starts a container. */
const containerTest = engine === 'buildah' ? test.skip : test
const skipReason = engine === 'buildah' ? '(needs Docker or podman: buildah does not run images)' : ''

let images: Images
let directory: string

beforeAll(async () => {
  if (engine === undefined) throw new Error('neither Docker nor podman nor buildah answers on this machine')
  directory = await mkdtemp(path.join(tmpdir(), 'queue-images-'))
  await chmod(directory, 0o755)
  images = engineImages(engine, directory)
  process.stdout.write(`the images are built by ${engine}\n`)
  await buildImages(engine)
}, buildMsMax)

afterAll(() => rm(directory, { recursive: true, force: true }))

describe.each(imageApps)('the image %s', (app) => {
  test('runs its process as a user that is not root, and carries its labels', async () => {
    const config = await inspectImage(engine, app)
    expect(config).toMatchObject({
      User: '65532:65532',
      WorkingDir: `/app/apps/${app}`,
      Entrypoint: ['node', 'dist/main.js'],
      Env: expect.arrayContaining(['NODE_ENV=production']),
      Labels: {
        'org.opencontainers.image.title': `queue-${app}`,
        'org.opencontainers.image.licenses': 'MIT',
      },
    })
    expect(config.StopSignal).toMatch(/^(?:SIGTERM|15)$/)
  })

  test('has a health check when it serves, and none when it ends by itself', async () => {
    const { Healthcheck: healthcheck } = await inspectImage(engine, app)
    if (app === 'migrate') expect(healthcheck).toBeUndefined()
    else expect(healthcheck).toMatchObject({ Test: ['CMD', 'node', 'dist/healthcheck.js'] })
  })

  containerTest(
    `has no privilege, can write nowhere, and keeps nothing of the build ${skipReason}`,
    async () => {
      const script = `
        const fs = require('node:fs')
        const status = fs.readFileSync('/proc/self/status', 'utf8')
        const writable = ['.', '/', '/tmp', '/app'].filter((folder) => {
          try { fs.writeFileSync(folder + '/written', ''); return true } catch { return false }
        })
        console.log(JSON.stringify({
          uid: process.getuid(), capabilities: /CapEff:\\s*(\\w+)/.exec(status)[1], writable,
          left: ['/run/secrets/ca', '/var/cache/queue', '/usr/local/lib/queue', '/repository'].filter(fs.existsSync),
          trusts: process.env.NODE_EXTRA_CA_CERTS ?? null,
        }))`
      const { output } = await runToEnd(images[app], { env: {}, command: ['node', '-e', script] })
      expect(JSON.parse(output)).toEqual({
        uid: 65_532,
        capabilities: '0000000000000000',
        writable: [],
        left: [],
        trusts: null,
      })
    },
    runMsMax,
  )

  containerTest(
    `says its version ${skipReason}`,
    async () => {
      const manifest = await readFile(path.join(repository, 'apps', app, 'package.json'), 'utf8')
      const { version } = JSON.parse(manifest) as { readonly version: string }
      const { code, output } = await runToEnd(images[app], { env: {}, args: ['--version'] })
      expect({ code, output }).toEqual({ code: 0, output: `${version}\n` })
    },
    runMsMax,
  )
})

containerTest(
  `the images migrate, serve, work, and stop ${skipReason}`,
  async () => {
    const database = await createTestDatabase()
    try {
      await deploy({ images, database, directory })
    } finally {
      await database.close()
    }
  },
  runMsMax,
)
