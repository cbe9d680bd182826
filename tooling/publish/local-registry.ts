import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@queue/dev-postgres'

/** A package registry on this machine. */
export interface LocalRegistry {
  readonly url: string
  stop(): Promise<void>
}

const run = promisify(execFile)

const manifest = {
  private: true,
  dependencies: { verdaccio: '6.10.4' },
  // verdaccio requires a tag of node-fetch that a mirror may not have.
  overrides: { 'node-fetch': '2.7.0' },
}

/** Everyone may publish packages of the scope `@queue`. All others come from the registry that npm is configured for. */
async function createConfig(): Promise<string> {
  const { stdout } = await run('npm', ['config', 'get', 'registry'])
  // JSON is valid YAML.
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
  await writeFile(path.join(directory, 'config.yaml'), await createConfig())
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: directory })
  const url = `http://127.0.0.1:${await freePort()}`
  const program = path.join(directory, 'node_modules/verdaccio/bin/verdaccio')
  const child: ChildProcess = spawn(
    process.execPath,
    [program, '--config', 'config.yaml', '--listen', url.replace('http://', '')],
    { cwd: directory, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const ended = once(child, 'close')
  // verdaccio sends its parent process a message when it listens.
  await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('the registry ended before it listened'))),
  ])
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
