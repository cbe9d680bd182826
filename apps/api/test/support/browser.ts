import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const program = path.join(import.meta.dirname, 'programs', 'unpack-chromium.ts')

/**
 * Starts the Chromium that comes with the dependencies: the machine needs no browser, and none of its libraries. It runs in its
 * sandbox where it can: Chromium refuses that to root, as whom tests run in containers, and needs namespaces that containers often
 * deny to everybody else. It loads nothing but the pages of this repository, from this machine.
 */
export async function launchBrowser(): Promise<Browser> {
  const folder = await unpackedBrowser()
  if (userInfo().uid === 0) return launch(folder, false)
  return launch(folder, true).catch(() => launch(folder, false))
}

function launch(folder: string, chromiumSandbox: boolean): Promise<Browser> {
  return chromium.launch({
    chromiumSandbox,
    executablePath: path.join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: path.join(folder, 'queue-fonts.conf'),
      HOME: folder,
    },
    args: ['--disable-gpu', '--disable-quic', '--font-render-hinting=none', '--disable-dev-shm-usage'],
  })
}

/** The folder with the unpacked browser, which this user's test runs share: unpacking takes seconds. */
async function unpackedBrowser(): Promise<string> {
  const manifest = createRequire(import.meta.url)
    .resolve('@sparticuz/chromium')
    .replace(/build\/.*$/, 'package.json')
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string }
  const target = path.join(tmpdir(), `queue-chromium-${version}-${userInfo().uid}`)
  if (await isOurs(target)) return target
  const fresh = await mkdtemp(`${target}-`)
  await promisify(execFile)(process.execPath, [program], { env: { ...process.env, TMPDIR: fresh } })
  await writeFile(path.join(fresh, 'queue-fonts.conf'), fontConfiguration(target))
  // Whoever comes second finds the folder of the first.
  await rename(fresh, target).catch(() => rm(fresh, { recursive: true, force: true }))
  return target
}

/** A folder of somebody else, in a place where everybody may write, must not be run. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined)
  return found !== undefined && found.uid === userInfo().uid
}

/** Its own configuration knows the folders of another platform alone: without a font no text has a height. */
function fontConfiguration(folder: string): string {
  const alias = (family: string, preferred: string): string =>
    `<alias binding="same"><family>${family}</family><prefer><family>${preferred}</family></prefer></alias>`
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  ${alias('system-ui', 'Open Sans')}${alias('sans-serif', 'Open Sans')}${alias('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`
}
