// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 needs it to be imported first
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000

/** A certificate for `localhost` that has signed itself, and its key, both as PEM. Whoever trusts it trusts the server. */
export async function createCertificate(): Promise<{ readonly certificate: string; readonly key: string }> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
    serialNumber: '01',
    name: 'CN=localhost',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }]),
      new x509.BasicConstraintsExtension(true, 0, true),
    ],
  })
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${der.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
  return { certificate: certificate.toString('pem'), key }
}
