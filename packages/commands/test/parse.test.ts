import { describe, expect, test } from '@jest/globals'
import { choice, commandsWith, createProgram, flag, readCommandLine, text, texts } from '../src/index.ts'

const define = commandsWith<unknown>()
const run = async () => undefined

const program = createProgram({
  name: 'shop',
  summary: 'sell things',
  globalOptions: { till: text('NAME', 'the till') },
  elsewhere: { repair: 'garage' },
  appendix: () => 'Open all day.',
  commands: [
    define({
      name: 'sell',
      summary: 'sell a thing',
      arguments: [{ name: 'THING' }],
      options: { price: text('CENTS', 'its price'), tags: texts('TAG', 'its tags'), gift: flag('wrap it') },
      examples: [{ line: 'shop sell book', description: 'A book' }],
      run,
    }),
    define({
      name: 'till open',
      summary: 'open the till',
      arguments: [{ name: 'DRAWER', count: 'any', choices: ['left', 'right'] }],
      options: { speed: choice('SPEED', ['slow', 'fast'], 'how fast') },
      examples: [{ line: 'shop till open', description: 'All drawers' }],
      run,
    }),
  ],
})

const read = (line: string, of = program) =>
  readCommandLine(of, { argv: line.split(' ').filter(Boolean), version: '1.2.3' })

describe('a command line', () => {
  test('runs a command with its own values, those of every command, and its arguments', () => {
    expect(read('sell book --price 5 --gift --till main --json')).toMatchObject({
      kind: 'run',
      command: { name: 'sell' },
      args: ['book'],
      values: { price: '5', gift: true },
      global: { till: 'main', json: true },
    })
  })

  test('gives a list by commas, by repeated options, or both', () => {
    expect(read('sell book --tags new,cheap --tags thin')).toMatchObject({
      values: { tags: ['new', 'cheap', 'thin'] },
    })
  })

  test('without a command runs the default one, or is answered with the help', () => {
    expect(read('--gift', { ...program, defaultCommand: 'till open' })).toMatchObject({ exitCode: 2 })
    expect(read('--json', { ...program, defaultCommand: 'sell' })).toMatchObject({ exitCode: 2 })
    const open = createProgram({
      ...program,
      commands: [define({ name: 'up', summary: 'rise', arguments: [], options: {}, examples: [], run })],
      defaultCommand: 'up',
    })
    expect(read('--json', open)).toMatchObject({ kind: 'run', command: { name: 'up' }, args: [] })
    expect(read('')).toMatchObject({ exitCode: 0, text: expect.stringContaining('Usage: shop COMMAND') })
  })

  test.each([
    ['--help', /^shop: sell things\n[\s\S]*sell THING +sell a thing[\s\S]*--till NAME[\s\S]*Open all day/],
    ['help till', /till open \[left\|right…\]/],
    ['sell --help', /^shop sell: sell a thing\n[\s\S]*--price CENTS[\s\S]*# A book\n {2}shop sell book/],
    ['help sell', /^shop sell: sell a thing/],
    ['sell -h', /^shop sell: sell a thing/],
    ['--version', /^1\.2\.3\n$/],
    ['completion bash', /complete -F _shop shop\n$/],
    ['completion zsh', /^#compdef shop/],
    [
      'completion fish',
      /^complete -c shop -n '__fish_seen_subcommand_from sell' -l price -x -d 'its price'$/m,
    ],
  ])('%j is answered without running anything', (line, answer) => {
    expect(read(line)).toMatchObject({ kind: 'answer', exitCode: 0, text: expect.stringMatching(answer) })
  })

  test.each([
    ['sel book', 'shop: "sel" is not a command\n  did you mean sell? shop --help lists the commands\n'],
    ['dance', 'shop: "dance" is not a command\n  shop --help lists the commands\n'],
    ['help dance', 'shop: "dance" is not a command\n  shop --help lists the commands\n'],
    ['repair bike --fast', 'shop: "repair" is a command of another program: run garage repair bike\n'],
    ['till', 'shop: "till" is not a command\n  use one of: till open\n'],
    ['till opne', 'shop: "till opne" is not a command\n  did you mean till open? use one of: till open\n'],
    [
      'sell book --pric 5',
      "shop: Unknown option '--pric'\n  did you mean --price? shop sell --help shows the options\n",
    ],
    ['sell book --speed fast', "shop: Unknown option '--speed'\n  shop sell --help shows the options\n"],
    ['sell', 'shop: the argument THING is missing\n  shop sell --help shows the arguments\n'],
    ['sell a b', 'shop: the argument "b" is one too many\n  shop sell --help shows the arguments\n'],
    ['till open top', 'shop: "top" is not a valid DRAWER\n  use one of: left, right\n'],
    ['till open --speed 5', 'shop: --speed "5" is not one of slow, fast\n'],
    ['sell book --price 5 --price 6', 'shop: --price is given more than once\n'],
  ])('%j is refused with what is wrong and what to do', (line, text_) => {
    expect(read(line)).toEqual({ kind: 'answer', exitCode: 2, text: text_ })
  })

  test('is refused in JSON if it asks for JSON', () => {
    const refused = read('sell --json')
    expect(refused.kind === 'answer' && JSON.parse(refused.text)).toEqual({
      error: 'usage',
      detail: 'the argument THING is missing',
      advice: 'shop sell --help shows the arguments',
    })
  })
})
