# PostgreSQL of Debian's packages, where the official image can't be pulled.
ARG BASE
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends postgresql
COPY start_postgres /usr/local/bin/
ENTRYPOINT ["start_postgres"]
