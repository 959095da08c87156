// What an application does with its database, through the drivers that applications use.

import mysql from 'mysql2/promise';
import pg from 'pg';

export type Login = { host: string; port: number; user: string; password: string };

export type Order = {
  id: number;
  customer: string;
  amount: string;
  note: string | null;
  /** Bytes as hexadecimal digits. */
  photo: string;
};

export type Client = {
  /** A database, a table, and a user of the application. */
  prepare(root: Login): Promise<void>;
  write(login: Login, orders: readonly Order[]): Promise<void>;
  /** All of them. */
  read(login: Login): Promise<Order[]>;
};

export const APP = { user: 'app', password: "It's-4-App" };

const columns = ['id', 'customer', 'amount', 'note', 'photo'] as const;
const valuesOf = ({ id, customer, amount, note, photo }: Order) => [
  id,
  customer,
  amount,
  note,
  Buffer.from(photo, 'hex'),
];

type Row = Omit<Order, 'photo'> & { photo: Buffer };
const orderOf = ({ photo, ...rest }: Row): Order => ({ ...rest, photo: photo.toString('hex') });

const INSERT = `INSERT INTO orders (${columns.join(', ')}) VALUES`;
const SELECT = `SELECT ${columns.join(', ')} FROM orders ORDER BY id`;
const TABLE = `CREATE TABLE orders (
  id INT PRIMARY KEY, customer VARCHAR(80) NOT NULL, amount DECIMAL(12, 2) NOT NULL, note TEXT,`;

async function onMysql<T>(
  login: Login & { database?: string },
  work: (connection: mysql.Connection) => Promise<T>,
): Promise<T> {
  const connection = await mysql.createConnection({ ...login, charset: 'utf8mb4' });
  try {
    return await work(connection);
  } finally {
    connection.destroy();
  }
}

export const mysqlClient: Client = {
  prepare: (root) =>
    onMysql(root, async (connection) => {
      for (const sql of [
        'CREATE DATABASE shop CHARACTER SET utf8mb4',
        'USE shop',
        `${TABLE} photo BLOB NOT NULL)`,
        `CREATE USER app@'%' IDENTIFIED BY ${mysql.escape(APP.password)}`,
        "GRANT SELECT ON shop.* TO app@'%'",
      ])
        await connection.query(sql);
    }),
  write: (login, orders) =>
    onMysql({ ...login, database: 'shop' }, async (connection) => {
      await connection.query(`${INSERT} ?`, [orders.map(valuesOf)]);
    }),
  read: (login) =>
    onMysql({ ...login, database: 'shop' }, async (connection) => {
      const [rows] = await connection.query(SELECT);
      return (rows as Row[]).map((row) => orderOf({ ...row }));
    }),
};

async function onPostgres<T>(
  login: Login & { database: string },
  work: (connection: pg.Client) => Promise<T>,
): Promise<T> {
  const connection = new pg.Client(login);
  // A connection that is cut tells so twice: by its query and by this.
  connection.on('error', () => {});
  try {
    await connection.connect();
    return await work(connection);
  } finally {
    await connection.end().catch(() => {});
  }
}

export const postgresClient: Client = {
  async prepare(root) {
    await onPostgres({ ...root, database: 'postgres' }, (connection) =>
      connection.query('CREATE DATABASE shop'),
    );
    await onPostgres({ ...root, database: 'shop' }, async (connection) => {
      await connection.query(`${TABLE} photo BYTEA NOT NULL)`);
      await connection.query(`CREATE ROLE app LOGIN PASSWORD ${pg.escapeLiteral(APP.password)}`);
      await connection.query('GRANT SELECT ON orders TO app');
    });
  },
  write: (login, orders) =>
    onPostgres({ ...login, database: 'shop' }, async (connection) => {
      const places = orders.map(
        (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`)})`,
      );
      await connection.query(`${INSERT} ${places.join(', ')}`, orders.flatMap(valuesOf));
    }),
  read: (login) =>
    onPostgres({ ...login, database: 'shop' }, async (connection) => {
      const { rows } = await connection.query<Row>(SELECT);
      return rows.map(orderOf);
    }),
};

/** What dumps get wrong: quotes, other scripts, nothing at all, and every byte. */
const CUSTOMERS = [
  `O'Brien`,
  'back\\slash',
  'Großmann',
  '日本語 😀',
  '"quoted"; DROP TABLE orders; --',
  'tab\tnew\nline',
];

export const someOrders = (first: number, count: number): Order[] =>
  Array.from({ length: count }, (_, index) => {
    const id = first + index;
    return {
      id,
      customer: CUSTOMERS[id % CUSTOMERS.length] ?? '',
      amount: `${id}.${id % 10}0`,
      note: id % 3 === 0 ? null : id % 3 === 1 ? '' : `note of ${id}`,
      photo: Buffer.from(Array.from({ length: 16 }, (_, byte) => (id * 16 + byte) % 256)).toString('hex'),
    };
  });
