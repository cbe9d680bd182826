import { expect, test } from '@jest/globals'
import { PermanentFailure, Snooze } from '@queue/executor'
import pg from 'pg'
import { testJob, testRoles, useWorld } from './support/world.ts'

const world = useWorld()

/**
 * Functions and operators that PostgreSQL prefers to its own for the arguments of the queue's statements, because they fit
 * exactly. Each records who called it. These anybody can create who may create functions …
 */
const strangers = [
  ...['text', 'uuid', 'integer'].map(
    (type) => `CREATE FUNCTION public.unnest(${type}[]) RETURNS SETOF ${type} LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.calls VALUES (current_user, 'unnest(${type}[])');
      RETURN QUERY SELECT * FROM pg_catalog.unnest($1);
    END $$`,
  ),
  ...operators([
    [
      'double precision',
      '*',
      'integer',
      'double precision',
      '$1 OPERATOR(pg_catalog.*) $2::double precision',
    ],
    ['numeric', '*', 'integer', 'numeric', '$1 OPERATOR(pg_catalog.*) $2::numeric'],
    ['integer', '*', 'interval', 'interval', '$1::double precision OPERATOR(pg_catalog.*) $2'],
    ['smallint', '&', 'integer', 'integer', '$1::integer OPERATOR(pg_catalog.&) $2'],
    ['text', '=', 'varchar', 'boolean', '$1 OPERATOR(pg_catalog.=) $2::text'],
    ['text', '||', 'anyelement', 'text', '$1 OPERATOR(pg_catalog.||) $2::text'],
    ['text', '||', 'uuid', 'text', '$1 OPERATOR(pg_catalog.||) $2::text'],
    ['text[]', '||', 'text[]', 'text[]', '$1 OPERATOR(pg_catalog.||) $2'],
    ['jsonb', '->>', 'jsonb', 'text', `$1 OPERATOR(pg_catalog.->>) ($2 OPERATOR(pg_catalog.#>>) '{}')`],
  ]),
]

/** … and these only who may use the types of the queue, which the owner of its schema does not allow. */
const ownTypes = operators([
  ['queue.non_empty_text', '=', 'text', 'boolean', '$1::text OPERATOR(pg_catalog.=) $2'],
  ['queue.job_status', '=', 'queue.job_status', 'boolean', '$1::text OPERATOR(pg_catalog.=) $2::text'],
  ['queue.count_bigint', '=', 'integer', 'boolean', '$1::bigint OPERATOR(pg_catalog.=) $2'],
])

type Operator = readonly [left: string, operator: string, right: string, result: string, value: string]

function operators(definitions: readonly Operator[]): string[] {
  return definitions.map(
    ([left, operator, right, result, value]) => `
      CREATE FUNCTION public."${left} ${operator} ${right}"(${left}, ${right}) RETURNS ${result} LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.calls VALUES (current_user, '${left} ${operator} ${right}');
        RETURN ${value};
      END $$;
      CREATE OPERATOR public.${operator} (LEFTARG = ${left}, RIGHTARG = ${right}, FUNCTION = public."${left} ${operator} ${right}")`,
  )
}

async function calls(): Promise<{ caller: string; callee: string }[]> {
  const { rows } = await world.database.pool.query(
    'SELECT DISTINCT caller, callee FROM public.calls ORDER BY callee',
  )
  return rows
}

/** The database role of workers. */
async function workerRole(): Promise<string> {
  const client = new pg.Client(world.database.urlAs('worker'))
  await client.connect()
  const { rows } = await client.query('SELECT current_user AS role')
  await client.end()
  return rows[0].role
}

const sessions = [
  { sessions: "a worker's own sessions", preparedStatements: true, impostors: [...strangers, ...ownTypes] },
  {
    sessions: 'sessions of a worker whose search path is not ours to set',
    preparedStatements: false,
    impostors: strangers,
  },
]

for (const { sessions: whose, preparedStatements, impostors } of sessions) {
  testRoles(`no statement of ${whose} calls a function or an operator that others have created`, async () => {
    await world.database.pool.query(
      'CREATE TABLE public.calls (caller text, callee text); GRANT ALL ON public.calls TO PUBLIC',
    )
    for (const impostor of impostors) await world.database.pool.query(impostor)
    // The impostors work: an unqualified call of a session with the usual search path reaches them.
    await world.database.pool.query(`SELECT unnest('{a}'::text[]), 2::float8 * 3`)
    const reached = (await calls()).map(({ callee }) => callee)
    expect(reached).toEqual(['double precision * integer', 'unnest(text[])'])
    await world.database.pool.query('TRUNCATE public.calls')

    const snoozed = new Set<string>()
    await world.work(
      (job, ctx) => {
        const { act } = job.payload as { readonly act: string }
        if (act === 'fail') throw new PermanentFailure('no')
        if (act === 'retry' && ctx.attempt === 1) throw new Error('not yet')
        if (act !== 'snooze' || snoozed.has(job.id)) return undefined
        snoozed.add(job.id)
        throw new Snooze(1)
      },
      { preparedStatements },
    )
    for (const key of [undefined, 'k']) {
      for (const act of ['succeed', 'fail', 'retry', 'snooze']) {
        const options = key === undefined ? {} : { key }
        const { job } = await world.database.queue.enqueue(testJob, { act }, options)
        await world.reached(job.id, act === 'fail' ? 'failed_permanent' : 'succeeded')
      }
    }
    const worker = await workerRole()
    const called = await calls()
    // Without the impostors, so that they do not record the statements of the checks after the test.
    await world.database.pool.query(
      'DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC',
    )
    expect(called.filter(({ caller }) => caller === worker)).toEqual([])
  })
}

test("a handler's transaction keeps the search path of its role", async () => {
  await world.database.pool.query(
    'CREATE TABLE public.orders (id uuid PRIMARY KEY); GRANT ALL ON public.orders TO PUBLIC',
  )
  await world.work(
    (job, ctx) => ctx.transaction((tx) => tx.query('INSERT INTO orders VALUES ($1)', [job.id])),
    { preparedStatements: true },
  )
  const id = await world.enqueue()
  expect(await world.reached(id, 'succeeded')).toMatchObject({ status: 'succeeded' })
  expect((await world.database.pool.query('SELECT id FROM orders')).rows).toEqual([{ id }])
})
