import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './programs.ts';

export interface Certificates {
  /** Path of the certificate of the own CA. */
  ca: string;
  certificate: string;
  key: string;
}

/** An own CA and a certificate for some names, with the commands of docs/operations.md. */
export function createCertificates(
  openssl: string,
  folder: string,
  { names = 'IP:127.0.0.1', days = 90 }: { names?: string; days?: number } = {},
): Certificates {
  const file = (name: string): string => join(folder, name);
  const run = (line: string): string => runProgram(openssl, line.split(' '), { cwd: folder });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  run(`req -x509 ${newKey} -days 3650 -subj /CN=Example-CA -keyout ca.key -out ca.pem`);
  run(`req ${newKey} -subj /CN=Scorehall -keyout privkey.pem -out request.pem`);
  writeFileSync(file('names.txt'), `subjectAltName=${names}\n`);
  run(
    `x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -extfile names.txt -out leaf.pem`,
  );
  writeFileSync(file('fullchain.pem'), readFileSync(file('leaf.pem'), 'utf8') + readFileSync(file('ca.pem'), 'utf8'));
  return { ca: file('ca.pem'), certificate: file('fullchain.pem'), key: file('privkey.pem') };
}
