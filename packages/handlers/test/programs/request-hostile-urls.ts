/** Requests every hostile URL with the port of a sink, then the sink itself by name, and prints the results. */
import type { LookupFunction } from 'node:net'
import { createOutgoingClient } from '../../src/outgoing/outgoing-client.ts'
import { NoPublicAddress, RefusedRequest } from '../../src/outgoing/outgoing-url.ts'
import { outgoingSettingsSchema } from '../../src/settings.ts'
import { hostileUrls } from '../support/hostile-urls.ts'

const port = Number(process.argv[2])
const lookup: LookupFunction = (_, options, callback) => {
  if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}
const settings = outgoingSettingsSchema.parse({ ports: [port], allow: [`sink.internal:${port}`] })
const client = createOutgoingClient(settings, { lookup })
const signal = AbortSignal.timeout(60_000)
let refused = 0
for (const url of hostileUrls(port)) {
  await client.send({ method: 'GET', url, headers: {}, signal }).catch((error: unknown) => {
    if (error instanceof RefusedRequest || error instanceof NoPublicAddress) refused += 1
  })
}
const url = `http://sink.internal:${port}/`
const { statusCode, body } = await client.send({ method: 'GET', url, headers: {}, signal })
await body.dump()
await client.close()
process.stdout.write(JSON.stringify({ refused, allowed: statusCode }))
