import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@queue/dev-postgres'

/** A registry of one's own, for as long as it is tried. */
export interface LocalRegistry {
  readonly url: string
  stop(): Promise<void>
}

const run = promisify(execFile)

const manifest = {
  private: true,
  dependencies: { verdaccio: '6.10.4' },
  // It asks for a tag of node-fetch, which a mirror need not have.
  overrides: { 'node-fetch': '2.7.0' },
}

/** Ours are published to it by anybody; everything else comes from the registry that npm is configured for. */
async function configure(): Promise<string> {
  const { stdout } = await run('npm', ['config', 'get', 'registry'])
  // JSON is YAML.
  return JSON.stringify({
    storage: './storage',
    uplinks: { others: { url: stdout.trim() } },
    packages: {
      '@queue/*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'others' },
    },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  })
}

/** Installs verdaccio in `directory` and starts it there. */
export async function startLocalRegistry(directory: string): Promise<LocalRegistry> {
  await mkdir(directory, { recursive: true })
  await writeFile(path.join(directory, 'package.json'), JSON.stringify(manifest))
  await writeFile(path.join(directory, 'config.yaml'), await configure())
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: directory })
  const url = `http://127.0.0.1:${await freePort()}`
  const program = path.join(directory, 'node_modules/verdaccio/bin/verdaccio')
  const child: ChildProcess = spawn(
    process.execPath,
    [program, '--config', 'config.yaml', '--listen', url.replace('http://', '')],
    { cwd: directory, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const ended = once(child, 'close')
  // It tells whoever has started it, over the channel of child_process.
  await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('the registry has ended before it listened'))),
  ])
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
