// A client that connects with what a Secret says, and asks one question.
import mysql from 'mysql2/promise';
import pg from 'pg';

export type Login = { type: string; host: string; port: number; username: string; password: string };

/** Throws when it is not let in. */
export async function logIn({ type, host, port, username: user, password }: Login): Promise<void> {
  if (type === 'mysql') {
    const connection = await mysql.createConnection({ host, port, user, password });
    await connection.query('SELECT 1');
    connection.destroy();
    return;
  }
  const client = new pg.Client({ host, port, user, password, database: 'postgres' });
  await client.connect();
  await client.query('SELECT 1');
  await client.end();
}
