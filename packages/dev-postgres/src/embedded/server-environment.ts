/**
 * The environment of every server program, in place of ours. A LANG that is unset makes the cluster
 * SQL_ASCII, one that does not exist stops initdb, and PG* variables would redirect it: none may get through.
 */
export function serverEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']
  const entries = kept.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(entries), LANG: 'C', LC_ALL: 'C', TZ: 'UTC' }
}
