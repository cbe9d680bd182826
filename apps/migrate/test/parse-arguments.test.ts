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
  ])('"%s" is understood', (line, command) => {
    expect(parseArguments(line.split(' ').filter(Boolean))).toEqual(command)
  })

  test.each([
    [
      'sideways',
      '"sideways" is not a command; accepted: up, down, status, plan, roles, doctor, after-restore, outbox',
    ],
    ['outbox doctor', '"doctor" is not a command; accepted: up, down, status, plan, roles'],
    ['outbox outbox', '"outbox" is not a command; accepted: up, down, status, plan, roles'],
    ['outbox down', /^down destroys data/],
    ['outbox up --plan', '--plan does not go with up; accepted: roles --plan'],
    [
      'after-restore',
      /^after-restore pauses every queue; accepted: after-restore --dry-run, after-restore --yes/,
    ],
    ['after-restore --yes --dry-run', /^after-restore does one thing at a time/],
    ['after-restore --yes --resume mail', /^after-restore does one thing at a time/],
    ['up --dry-run', '--dry-run does not go with up; accepted: after-restore --dry-run'],
    ['roles --resume mail', '--resume does not go with roles; accepted: after-restore --resume QUEUE'],
    [
      'outbox after-restore --yes',
      '"after-restore" is not a command; accepted: up, down, status, plan, roles',
    ],
    ['up outbox', '"outbox" after up; accepted: one command'],
    ['up down', '"down" after up; accepted: one command'],
    ['down', /^down destroys data.*; accepted: down --yes$/],
    ['down --to 1', /^down destroys data/],
    ['down --yes --to -1', /--to/],
    ['down --yes --to one', '--to "one" is not a version; accepted: a whole number, 0 for nothing at all'],
    ['up --to 1', '--to does not go with up; accepted: down --to N'],
    ['status --yes', '--yes does not go with status; accepted: down --yes'],
    ['up --plan', '--plan does not go with up; accepted: roles --plan'],
    ['down --yes --revoke', '--revoke does not go with down; accepted: roles --revoke'],
    ['roles --to 1', '--to does not go with roles; accepted: down --to N'],
    ['roles --revoke', /^roles --revoke shuts out every process.*; accepted: roles --revoke --yes$/],
    ['roles --yes', '--yes goes with --revoke alone; accepted: roles --revoke --yes'],
    ['roles --revoke --plan --yes', '--yes goes with --revoke alone; accepted: roles --revoke --yes'],
    ['doctor --yes', '--yes does not go with doctor; accepted: down --yes'],
    ['up --force', /^Unknown option '--force'; accepted: /],
  ])('"%s" is refused in one line', (line, message) => {
    const parse = (): unknown => parseArguments(line.split(' '))
    expect(parse).toThrow(ConfigError)
    expect(parse).toThrow(message)
    expect(parse).not.toThrow(/\n/)
  })
})
