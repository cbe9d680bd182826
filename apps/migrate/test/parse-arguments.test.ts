import { describe, expect, test } from '@jest/globals'
import { ConfigError } from '@queue/service'
import { parseArguments } from '../src/parse-arguments.ts'

describe('the command line', () => {
  test.each([
    ['', { name: 'up', migrationSet: 'queue', format: 'text' }],
    ['up', { name: 'up', migrationSet: 'queue', format: 'text' }],
    ['status --json', { name: 'status', migrationSet: 'queue', format: 'json' }],
    ['--json plan', { name: 'plan', migrationSet: 'queue', format: 'json' }],
    ['down --yes', { name: 'down', migrationSet: 'queue', format: 'text', to: undefined }],
    ['down --to 0 --yes', { name: 'down', migrationSet: 'queue', format: 'text', to: 0 }],
    ['down --yes --to=3 --json', { name: 'down', migrationSet: 'queue', format: 'json', to: 3 }],
    ['doctor --json', { name: 'doctor', migrationSet: 'queue', format: 'json' }],
    ['roles', { name: 'roles', migrationSet: 'queue', format: 'text', goal: 'set_up', mode: 'apply' }],
    [
      'roles --plan --json',
      { name: 'roles', migrationSet: 'queue', format: 'json', goal: 'set_up', mode: 'plan' },
    ],
    [
      'roles --revoke --yes',
      { name: 'roles', migrationSet: 'queue', format: 'text', goal: 'revoked', mode: 'apply' },
    ],
    ['after-restore --yes', { name: 'after-restore', migrationSet: 'queue', format: 'text', mode: 'apply' }],
    [
      'after-restore --dry-run --json',
      { name: 'after-restore', migrationSet: 'queue', format: 'json', mode: 'plan' },
    ],
    ['after-restore --resume mail', { name: 'resume', migrationSet: 'queue', format: 'text', queue: 'mail' }],
    ['keys list', { name: 'keys', task: { act: 'list' }, migrationSet: 'queue', format: 'text' }],
    [
      '--json keys create --name shop --role enqueue --permission jobs:read --expires-in-days 90',
      {
        name: 'keys',
        task: {
          act: 'create',
          keyName: 'shop',
          role: 'enqueue',
          permissions: ['jobs:read'],
          expiresInMs: 90 * 86_400_000,
        },
        migrationSet: 'queue',
        format: 'json',
      },
    ],
    ...(
      [
        ['100/60', { count: 100, perSeconds: 60, burst: 100 }],
        ['100/60/20', { count: 100, perSeconds: 60, burst: 20 }],
        ['1000000/1/100000', { count: 1_000_000, perSeconds: 1, burst: 100_000 }],
      ] as const
    ).map(([text, rate]): [string, object] => [
      `keys create --name shop --role read --rate ${text}`,
      {
        name: 'keys',
        task: { act: 'create', keyName: 'shop', role: 'read', permissions: [], rate },
        migrationSet: 'queue',
        format: 'text',
      },
    ]),
    [
      'keys rotate abcd1234',
      {
        name: 'keys',
        task: { act: 'rotate', id: 'abcd1234', overlapMs: 86_400_000 },
        migrationSet: 'queue',
        format: 'text',
      },
    ],
    [
      'keys revoke abcd1234 --json',
      { name: 'keys', task: { act: 'revoke', id: 'abcd1234' }, migrationSet: 'queue', format: 'json' },
    ],
    ['outbox', { name: 'up', migrationSet: 'outbox', format: 'text' }],
    ['outbox status --json', { name: 'status', migrationSet: 'outbox', format: 'json' }],
    ['outbox down --to 0 --yes', { name: 'down', migrationSet: 'outbox', format: 'text', to: 0 }],
    [
      'outbox roles --plan',
      { name: 'roles', migrationSet: 'outbox', format: 'text', goal: 'set_up', mode: 'plan' },
    ],
    [
      'roles --revoke --plan',
      { name: 'roles', migrationSet: 'queue', format: 'text', goal: 'revoked', mode: 'plan' },
    ],
  ])('"%s" is accepted', (line, command) => {
    expect(parseArguments(line.split(' ').filter(Boolean))).toEqual(command)
  })

  test.each([
    [
      'sideways',
      '"sideways" is not a command; accepted: up, down, status, plan, roles, doctor, after-restore, keys, kinds, outbox',
    ],
    ['outbox doctor', '"doctor" is not a command; accepted: up, down, status, plan, roles'],
    ['outbox outbox', '"outbox" is not a command; accepted: up, down, status, plan, roles'],
    ['outbox down', /^down deletes data/],
    ['outbox up --plan', 'up has no option --plan; accepted: roles --plan'],
    [
      'after-restore',
      /^after-restore pauses every queue, so it needs --yes; accepted: after-restore --dry-run, after-restore --yes/,
    ],
    ['after-restore --yes --dry-run', /^after-restore accepts only one of --yes, --dry-run and --resume/],
    ['after-restore --yes --resume mail', /^after-restore accepts only one of --yes, --dry-run and --resume/],
    ['up --dry-run', 'up has no option --dry-run; accepted: after-restore --dry-run'],
    ['roles --resume mail', 'roles has no option --resume; accepted: after-restore --resume QUEUE'],
    [
      'outbox after-restore --yes',
      '"after-restore" is not a command; accepted: up, down, status, plan, roles',
    ],
    ['up outbox', 'unexpected "outbox" after up; accepted: one command'],
    ['up down', 'unexpected "down" after up; accepted: one command'],
    ['down', /^down deletes data.*; accepted: down --yes$/],
    ['down --to 1', /^down deletes data/],
    ['down --yes --to -1', /--to/],
    ['down --yes --to one', '--to "one" is not a version; accepted: a whole number; 0 undoes every step'],
    ['up --to 1', 'up has no option --to; accepted: down --to N'],
    ['status --yes', 'status has no option --yes; accepted: down --yes'],
    ['up --plan', 'up has no option --plan; accepted: roles --plan'],
    ['down --yes --revoke', 'down has no option --revoke; accepted: roles --revoke'],
    ['roles --to 1', 'roles has no option --to; accepted: down --to N'],
    ['roles --revoke', /^roles --revoke stops every process.*; accepted: roles --revoke --yes$/],
    ['roles --yes', 'roles accepts --yes only with --revoke; accepted: roles --revoke --yes'],
    ['roles --revoke --plan --yes', 'roles accepts --yes only with --revoke; accepted: roles --revoke --yes'],
    ['doctor --yes', 'doctor has no option --yes; accepted: down --yes'],
    ['keys', /^"keys " is not a command; accepted: keys create/],
    ['keys revoke', /is not a command/],
    ['keys list more', /is not a command/],
    ['keys create --role admin', /^a key needs a name/],
    [
      'keys create --name a --role root',
      '--role "root" is not a role; accepted: enqueue, read, operate, admin',
    ],
    [
      'keys create --name a --role read --permission all',
      /^--permission "all" is not a permission; accepted: /,
    ],
    ['keys create --name a --role read --expires-in-days 0', /^--expires-in-days "0" is not valid/],
    [
      'keys create --name a --role read --tenant=',
      /^--tenant "" is not valid; accepted: 1 to 255 characters/,
    ],
    ['keys create --name a --role read --queue Q', /^--queue "Q" is not valid; accepted: 1 to 63 of a-z/],
    ['keys create --name a --role read --kind K', /^--kind "K" is not valid; accepted: 1 to 63 of a-z/],
    [
      'keys create --name a --role read --tenant t --permission ops:read',
      /^--permission ops:read reaches beyond the bounds of any key; accepted: jobs:enqueue/,
    ],
    ...['5', '0/1', '1/0', '1/1/0', '-1/1', '1.5/1', '1/86401', '1000001/1', '1000/1/99', '1/1/', ' 1/1'].map(
      (rate): [string, RegExp] => [
        `keys create --name a --role read --rate=${rate}`,
        /^(--rate ".*" is not a rate; accepted: COUNT\/SECONDS|"keys create .*" is not a command)/,
      ],
    ),
    ['keys list --role admin', /^keys list has no option --role/],
    ['up --force', /^Unknown option '--force'; accepted: /],
  ])('"%s" is refused in one line', (line, message) => {
    const parse = (): unknown => parseArguments(line.split(' '))
    expect(parse).toThrow(ConfigError)
    expect(parse).toThrow(message)
    expect(parse).not.toThrow(/\n/)
  })
})
