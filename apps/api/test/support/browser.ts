import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
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
  const fontsFile = await writeFontConfiguration(folder)
  const launch = (chromiumSandbox: boolean): Promise<Browser> =>
    launchFrom({ folder, fontsFile, chromiumSandbox })
  if (userInfo().uid === 0) return launch(false)
  return launch(true).catch(() => launch(false))
}

interface LaunchOptions {
  readonly folder: string
  readonly fontsFile: string
  readonly chromiumSandbox: boolean
}

function launchFrom({ folder, fontsFile, chromiumSandbox }: LaunchOptions): Promise<Browser> {
  return chromium.launch({
    chromiumSandbox,
    executablePath: path.join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: fontsFile,
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
  // Whoever comes second finds the folder of the first.
  await rename(fresh, target).catch(() => rm(fresh, { recursive: true, force: true }))
  return target
}

/** A folder of somebody else, in a place where everybody may write, must not be run. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined)
  return found !== undefined && found.uid === userInfo().uid
}

/** Named by its content: runs of an older or newer version of this file share the folder. */
async function writeFontConfiguration(folder: string): Promise<string> {
  const content = fontConfiguration(folder)
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const file = path.join(folder, `queue-fonts-${digest}.conf`)
  // A rename is atomic: a browser that starts meanwhile reads a whole file.
  const draft = `${file}.${process.pid}`
  await writeFile(draft, content)
  await rename(draft, file)
  return file
}

/**
 * The bundled configuration names folders of another platform only, and text without a font has no height. Of the machine's fonts only
 * DejaVu is used, for monospace: Open Sans has no semibold, and fontconfig prefers any installed font that has one, even a serif font.
 */
function fontConfiguration(folder: string): string {
  const alias = (family: string, preferred: string): string =>
    `<alias binding="same"><family>${family}</family><prefer><family>${preferred}</family></prefer></alias>`
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  ${alias('system-ui', 'Open Sans')}${alias('sans-serif', 'Open Sans')}${alias('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`
}
