import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from '@jest/globals'
import { installedBinaries, provideBinaries } from '../src/embedded/binaries.ts'
import { provideCluster } from '../src/embedded/cluster.ts'
import { canReach } from '../src/embedded/readable-by.ts'
import { serverFiles } from '../src/embedded/server-files.ts'
import { findServerUser } from '../src/embedded/server-user.ts'
import { makeDataDirectory, makeTemporaryDirectory, memoryRoot } from '../src/embedded/shared-directory.ts'
import { type HeldServer, type HoldOptions, holdServer, query } from './held-server.ts'

const cleanUps: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function hold(options: HoldOptions, environment?: NodeJS.ProcessEnv): Promise<HeldServer> {
  const server = await holdServer(options, environment)
  cleanUps.push(() => server.end())
  return server
}

async function closedFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'closed-'))
  await chmod(folder, 0o700)
  cleanUps.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function environmentWithout(...names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.includes(name)))
}

async function expectTextIsStored(server: HeldServer): Promise<void> {
  const encoding = await query(server.url, 'SHOW server_encoding')
  expect(encoding.rows[0].server_encoding).toBe('UTF8')
  const text = 'é ß 漢 😀'
  const stored = await query(server.url, "SELECT ($1::jsonb)->>'text' AS text", [JSON.stringify({ text })])
  expect(stored.rows[0].text).toBe(text)
  const escaped = await query(server.url, `SELECT '"\\u00e9"'::jsonb AS text`)
  expect(escaped.rows[0].text).toBe('é')
}

describe('an embedded server starts and keeps every character', () => {
  test('with LANG and every LC variable unset', async () => {
    const locale = Object.keys(process.env).filter((name) => name === 'LANG' || name.startsWith('LC_'))
    await expectTextIsStored(await hold({}, environmentWithout(...locale)))
  })

  test('with a locale that does not exist', async () => {
    await expectTextIsStored(await hold({}, { ...process.env, LC_ALL: 'xx_XX.nowhere', LANG: 'zz_ZZ' }))
  })

  test('with a umask of 077 and PG variables that point elsewhere', async () => {
    const environment = { ...process.env, PGPORT: '1', PGHOST: '/nowhere', PGDATA: '/nowhere' }
    await expectTextIsStored(await hold({ umask: 0o077 }, environment))
  })

  test('with a temporary directory that only this account can enter', async () => {
    await expectTextIsStored(await hold({}, { ...process.env, TMPDIR: await closedFolder() }))
  })

  test('with a data directory that only this account can enter, and finds its data again', async () => {
    const directory = path.join(await closedFolder(), 'data')
    const first = await hold({ directory, umask: 0o077 })
    cleanUps.push(() => rm(first.directory, { recursive: true, force: true }))
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS one')
    await first.end()
    const second = await hold({ directory })
    expect(second.directory).toBe(first.directory)
    expect((await query(second.url, 'SELECT one FROM kept')).rows).toEqual([{ one: 1 }])
  })
})

describe('data that is not kept', () => {
  const { TMPDIR: inherited } = process.env
  afterEach(() => {
    if (inherited === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = inherited
  })

  async function dataDirectory(): Promise<string> {
    const directory = await makeDataDirectory(undefined)
    cleanUps.push(() => rm(directory, { recursive: true }))
    return path.dirname(directory)
  }

  test('lies where TMPDIR says', async () => {
    const folder = await closedFolder()
    process.env['TMPDIR'] = folder
    expect(await dataDirectory()).toBe(folder)
  })

  test('lies in memory without TMPDIR if there is plenty', async () => {
    delete process.env['TMPDIR']
    const { bavail, bsize } = await statfs(memoryRoot).catch(() => ({ bavail: 0, bsize: 0 }))
    const isPlenty = Math.min(bavail * bsize, process.availableMemory()) >= 8 * 1_024 ** 3
    expect(await dataDirectory()).toBe(isPlenty ? memoryRoot : tmpdir())
  })
})

test('programs that the server account cannot access are run from a copy', async () => {
  const user = await findServerUser()
  const folder = await closedFolder()
  const installed = await installedBinaries()
  const root = path.resolve(path.dirname(installed.postgres), '..')
  await cp(root, path.join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  const hidden = {
    initdb: path.join(folder, 'native/bin/initdb'),
    postgres: path.join(folder, 'native/bin/postgres'),
  }
  const directory = await makeTemporaryDirectory(user)
  cleanUps.push(() => rm(directory, { recursive: true, force: true }))
  const files = serverFiles(directory)

  const binaries = await provideBinaries(hidden, user)
  await provideCluster({ files, binaries, user, initdbFlags: ['--no-sync'] })

  if (binaries.postgres !== hidden.postgres) {
    const copy = path.resolve(path.dirname(binaries.postgres), '..')
    cleanUps.push(() => rm(copy, { recursive: true, force: true }))
  }
  expect(await provideBinaries(hidden, user)).toEqual(binaries)

  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  const version = await promisify(execFile)(binaries.postgres, ['--version'], { ...identity, cwd: directory })
  expect(version.stdout).toMatch(/PostgreSQL\) 18\./)
  expect((await stat(path.join(files.dataDirectory, 'PG_VERSION'))).uid).toBe(user?.uid ?? process.getuid?.())
})

test('an ordinary account runs the server itself', async () => {
  const user = await findServerUser()
  const mayRun = user !== undefined && (await canReach(user, import.meta.dirname))
  const server = await holdServer({}, process.env, mayRun ? { uid: user.uid, gid: user.gid } : {})
  cleanUps.push(() => server.end())
  await expectTextIsStored(server)
})

test('another account is used only by root', async () => {
  expect(await findServerUser(1000)).toBeUndefined()
  expect((await findServerUser(0))?.uid).toBeGreaterThan(0)
})
