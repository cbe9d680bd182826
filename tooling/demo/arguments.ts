const help = `pnpm demo [--exit]: starts PostgreSQL, the API and a worker, submits 200 jobs over HTTP, and checks the end
of every single one against the end that it had to reach.

  --exit   end after the summary, with code 0 only if every job reached the state it had to
  --help   this text

Without --exit the stack stays up for you to play with until Ctrl-C. Free ports, which this machine alone
reaches, are taken unless API_BIND_ADDR, API_OPS_BIND_ADDR and WORKER_METRICS_BIND_ADDR say otherwise; DATABASE_URL names
a server to use instead of an embedded one.
`

export type DemoOptions = { readonly stay: boolean } | { readonly exitCode: 0 | 2; readonly text: string }

/** What the command line asks for, or the text that ends the program at once. */
export function parseArguments(args: readonly string[]): DemoOptions {
  // pnpm hands the separator on as it is.
  const given = args.filter((argument) => argument !== '--')
  if (given.includes('--help')) return { exitCode: 0, text: help }
  const unknown = given.find((argument) => argument !== '--exit')
  if (unknown !== undefined)
    return { exitCode: 2, text: `${JSON.stringify(unknown)} is no argument of the demo\n\n${help}` }
  return { stay: !given.includes('--exit') }
}
