/**
 * The environment of every server program, which replaces that of this process. An unset LANG would make the cluster
 * SQL_ASCII, an unknown locale stops initdb, and PG* variables would redirect the programs, so none of them is passed on.
 */
export function serverEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const inherited = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']
  const entries = inherited.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(entries), LANG: 'C', LC_ALL: 'C', TZ: 'UTC' }
}
