import { createHash, createHmac } from 'node:crypto'
import { type HttpSink, type ReceivedRequest, startHttpSink } from './http-sink.ts'

export const credentials = { s3AccessKeyId: 'AKIDEXAMPLE', s3SecretAccessKey: 'a secret of the tests' }

export interface S3Sink {
  readonly url: string
  /** The objects by `bucket/key`, with their media types. */
  readonly objects: ReadonlyMap<string, { readonly type: string; readonly data: Buffer }>
  close(): Promise<void>
  readonly http: HttpSink
}

/** An S3 server that accepts only PutObject with a valid signature (AWS Signature Version 4) of `credentials`. */
export async function startS3Sink(): Promise<S3Sink> {
  const objects = new Map<string, { type: string; data: Buffer }>()
  const http = await startHttpSink((response, request) => {
    const fault = request.method === 'PUT' ? signatureFault(request) : 'MethodNotAllowed'
    if (fault !== undefined) {
      response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end(`<Error><Code>${fault}</Code></Error>`)
      return
    }
    const key = decodeURIComponent(request.path.replace(/^\/|\?.*$/g, ''))
    objects.set(key, { type: request.headers['content-type'] ?? '', data: request.body })
    response.writeHead(200, { etag: '"1"' }).end()
  })
  return { url: http.url, objects, http, close: () => http.close() }
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Computes the signature of the received request. */
function signatureFault({ method, path, headers, body }: ReceivedRequest): string | undefined {
  const [, id, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const givenDigest = String(headers['x-amz-content-sha256'])
  if (givenDigest !== 'UNSIGNED-PAYLOAD' && givenDigest !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const [resource = '', query = ''] = path.split('?')
  const canonical = [
    method,
    resource,
    query
      .split('&')
      .toSorted()
      .map((parameter) => (parameter.includes('=') ? parameter : `${parameter}=`))
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    givenDigest,
  ].join('\n')
  const [day = '', region = '', service = ''] = scope.split('/')
  const key = hmac(
    hmac(hmac(hmac(`AWS4${credentials.s3SecretAccessKey}`, day), region), service),
    'aws4_request',
  )
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const isValid = id === credentials.s3AccessKeyId && hmac(key, text).toString('hex') === signature
  return isValid ? undefined : 'SignatureDoesNotMatch'
}
