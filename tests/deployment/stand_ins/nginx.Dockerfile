# nginx of Debian's packages, where the official image can't be pulled.
ARG BASE
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends nginx-light \
    && rm /etc/nginx/sites-enabled/default
ENTRYPOINT ["nginx", "-g", "daemon off;"]
