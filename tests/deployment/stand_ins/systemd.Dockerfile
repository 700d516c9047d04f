# A machine with systemd, on which the image's files are installed as the guide says.
FROM chainteller
USER root
RUN apt-get update && apt-get install -y --no-install-recommends systemd curl
COPY chainteller.service chainteller-backup.service chainteller-backup.timer /etc/systemd/system/
RUN systemctl enable chainteller.service chainteller-backup.timer
ENTRYPOINT ["/lib/systemd/systemd"]
CMD []
