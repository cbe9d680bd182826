import { expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Option } from '@queue/commands'
import { readDocument } from '../src/commands/enqueue/payload.ts'
import { parseJson } from '../src/json.ts'
import { program } from '../src/program.ts'

test('output that cannot be written ends the program with an error', () => {
  const disk = openSync('/dev/full', 'w')
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  for (const argument of ['--help', '--version', 'completion bash']) {
    const args = ['--conditions=@queue/source', main, ...argument.split(' ')]
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', disk, 'pipe'] })
    expect(`${status} ${String(stderr)}`).toMatch(/^1 .*could not be written: ENOSPC/s)
  }
  closeSync(disk)
})

test('an option has the same form in every command that takes it', () => {
  const forms = new Map<string, string>()
  for (const { name, options } of program.commands) {
    for (const [option, described] of Object.entries<Option>(options)) {
      const form = described.value ?? 'flag'
      expect(`${name} --${option} ${forms.get(option) ?? form}`).toBe(`${name} --${option} ${form}`)
      forms.set(option, form)
    }
  }
})

test.each([
  '1e999',
  '1e-400',
  '0.12345678901234567890',
  '3.0000000000000000001',
  '{"a":[12345678901234567890]}',
  '{"__proto__":1}',
  String.raw`[{"a":{"\u005f_proto__":{}}}]`,
  '{"a":',
])('a payload %s is refused', (text) => {
  expect(() => parseJson(text)).toThrow()
})

test.each([
  ['1e21', 1e21],
  ['9007199254740992', 2 ** 53],
  ['1.50', 1.5],
  ['-0', -0],
])('a payload %s is the number that it says', (text, value) => {
  expect(parseJson(text)).toBe(value)
})

test('a document that is not UTF-8 is refused', async () => {
  const readInput = () => Promise.resolve(Buffer.from([0x22, 0xff, 0x22]))
  await expect(readDocument({ readInput }, { path: '-', option: 'the file' })).rejects.toThrow('is not UTF-8')
})
